# Tilewise in a container: the wheel, built from this repository, with numpy, the workshop and the course. See docs/container.md.
FROM debian:12 AS build
WORKDIR /tilewise
COPY . .
RUN dev/setup && dev/build release tilewise tilewise_native tilewise_python tilewise-tool tilewise-opt && dev/wheel /wheels

FROM debian:12-slim
RUN apt-get update -q && apt-get install -y -q --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN python3 -m venv /opt/tilewise && /opt/tilewise/bin/pip install --no-cache-dir numpy /wheels/*.whl && rm -rf /wheels
ENV PATH=/opt/tilewise/bin:$PATH TILEWISE_CACHE_DIR=/tmp/tilewise
WORKDIR /workshop
RUN tilewise learn workshop --dir=/workshop
CMD ["bash"]
