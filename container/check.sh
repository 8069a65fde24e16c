#!/bin/sh
# Builds the image of each service, starts it on a read-only system, and waits until it is healthy.
set -eu
for service in serve receive; do
  docker build --file container/Dockerfile --target "$service" --tag "sentinel-$service" .
  container=$(docker run --detach --read-only --tmpfs /tmp --volume /data --health-interval 2s "sentinel-$service")
  tries=30
  until [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      docker logs "$container"
      docker rm --force --volumes "$container" >/dev/null
      echo "sentinel-$service is not healthy" >&2
      exit 1
    fi
    sleep 2
  done
  docker rm --force --volumes "$container" >/dev/null
  echo "sentinel-$service is healthy"
done
