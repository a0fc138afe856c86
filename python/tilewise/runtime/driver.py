"""`triton.runtime.driver`: the active driver."""

from ..backends import backends


class DriverConfig:
    """Holds the one active driver, made when it is first asked for."""

    def __init__(self):
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None:
            (self._default,) = [backend.driver() for backend in backends.values() if backend.driver.is_active()]
        return self._default

    @property
    def active(self):
        if self._active is None:
            self._active = self.default
        return self._active

    def replace_default(self, driver):
        """Another driver in the place of the default one; it is the active one, too, unless the program has set one."""
        if self._active is self._default:
            self._active = driver
        self._default = driver

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = self.default


driver = DriverConfig()
