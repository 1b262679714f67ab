# The static program alone, in an empty image. `build/archive` or `cargo build` for
# x86_64-unknown-linux-musl made the file that PROGRAM names.
#
#     docker build --build-arg PROGRAM=target/x86_64-unknown-linux-musl/dist/asp-solve -t asp-solve .
#     docker run --rm -i asp-solve - -n 0 < instances/deponia.lp
FROM scratch
ARG PROGRAM=target/x86_64-unknown-linux-musl/dist/asp-solve
COPY --chmod=755 ${PROGRAM} /bin/asp-solve
COPY LICENSE THIRD-PARTY.md /usr/share/doc/asp-solve/
WORKDIR /work
ENTRYPOINT ["/bin/asp-solve"]
