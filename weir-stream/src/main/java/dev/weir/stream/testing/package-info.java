/**
 * What tests of pipelines need: a clock that the test moves. Time goes in by hand, and the stages that wait for it go on;
 * thread-safe, owned by the test.
 */
@NullMarked
package dev.weir.stream.testing;

import org.jspecify.annotations.NullMarked;
