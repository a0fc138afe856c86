"""What a step of the course asks for: cases to launch the learner's kernel on, what must come out, hints, and what to time."""

import dataclasses
from typing import Any, Callable, Dict, List, Optional, Union


@dataclasses.dataclass
class Case:
    """One launch: arguments by the kernel's parameter names, and the right contents of its outputs."""

    says: str
    grid: Any
    arguments: Dict[str, Any]
    expected: Dict[str, Any]
    tolerance: float = 1e-5


@dataclasses.dataclass
class Task:
    kernel: str
    cases: Callable[[], List[Case]]
    hints: List[str]
    #: One more launch, larger, for `bench`, and what it is compared with: a function of numpy over the arguments. Every step has both; files of the workshop have neither.
    bench: Optional[Callable[[], Case]] = None
    rival: Optional[Callable[[Dict[str, Any]], Any]] = None
    rival_name: str = "numpy"
    #: Inputs that a good answer reads once: their names.
    read_once: tuple = ()
    #: How many bytes may be moved for each byte that is used: 1.5 allows the borders of rows.
    most_waste: Optional[float] = None
    #: The most loads and stores that one program may need.
    most_accesses: Optional[int] = None
    #: Looks at the learner's module and says what is wrong, or None.
    also: Optional[Callable[[Any], Optional[str]]] = None
    #: The lesson's picture: the output whose writers it shows in the first case (the first one, when nothing is said), or a function of picture.Shown.
    picture: Union[str, Callable[[Any], str], None] = None
