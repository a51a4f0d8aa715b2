/**
 * Results of a campaign: immutable records of its points and runs come in from the harness, and go to a folder that
 * survives an interruption at any moment. Statistics and reports read them from there.
 */
@NullMarked
package dev.weir.bench.result;

import org.jspecify.annotations.NullMarked;
