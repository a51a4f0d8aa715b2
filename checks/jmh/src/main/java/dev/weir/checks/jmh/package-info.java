/**
 * Benchmarks that compare the engine with its rivals: a class for each row of docs/benchmarks/engine.md, and a method
 * for each contender. To run all of them: {@code checks/jmh/run.sh}. To run one class:
 * {@code java -jar checks/jmh/target/benchmarks.jar ChainBenchmark}.
 */
@NullMarked
package dev.weir.checks.jmh;

import org.jspecify.annotations.NullMarked;
