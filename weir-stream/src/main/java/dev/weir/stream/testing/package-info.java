/**
 * Tools for testing pipelines: a clock that the test advances, a source that it controls, and a sink that it reads. All
 * are thread-safe. See {@code docs/guide/testing.md}.
 */
@NullMarked
package dev.weir.stream.testing;

import org.jspecify.annotations.NullMarked;
