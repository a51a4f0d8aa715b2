/**
 * The engine measured beside its rivals: a class per row of docs/benchmarks/engine.md, a method per contender. How to
 * run them all: {@code checks/jmh/run.sh}; one class:
 * {@code java -jar checks/jmh/target/benchmarks.jar ChainBenchmark}.
 */
@NullMarked
package dev.weir.checks.jmh;

import org.jspecify.annotations.NullMarked;
