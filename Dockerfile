# The web app, then the wheel with the app inside, then an image that has neither Node nor a compiler.
ARG PYTHON=3.11
ARG NODE=22

FROM node:${NODE}-slim AS web
WORKDIR /build/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci
COPY web/ ./
RUN npm run build

FROM python:${PYTHON}-slim AS wheel
WORKDIR /build
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY requirements/run.txt requirements/
COPY src/ src/
COPY examples/ examples/
COPY integrations/ integrations/
# Without its sources beside it, the built app is taken as it is.
COPY --from=web /build/src/bottega/server/static/ src/bottega/server/static/
RUN python -m venv /opt/bottega \
    && /opt/bottega/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --require-hashes -r requirements/run.txt \
    && /opt/bottega/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM python:${PYTHON}-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home bottega \
    && mkdir /data /project \
    && chown bottega:bottega /data /project
COPY --from=wheel /opt/bottega /opt/bottega
ENV PATH=/opt/bottega/bin:$PATH \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    PROJECT_DIR=/project \
    BOTTEGA_LOG_FORMAT=json
USER bottega
WORKDIR /project
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/health', timeout=4)"]
ENTRYPOINT ["bottega"]
CMD ["serve"]
