/**
 * Tools for testing pipelines: a clock advanced by the test, a source controlled by the test, and a sink read by the
 * test. The test owns them, and all of them are thread-safe. See {@code docs/guide/testing.md}.
 */
@NullMarked
package dev.weir.stream.testing;

import org.jspecify.annotations.NullMarked;
