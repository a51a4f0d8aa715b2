/**
 * What tests of pipelines need: a clock that the test moves, a source that it drives and a sink that it reads. All of
 * it is thread-safe and belongs to the test; see {@code docs/testing.md}.
 */
@NullMarked
package dev.weir.stream.testing;

import org.jspecify.annotations.NullMarked;
