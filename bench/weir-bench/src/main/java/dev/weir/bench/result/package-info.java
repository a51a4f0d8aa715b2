/**
 * The results of a campaign, as immutable records of its points and runs. The harness writes them to a folder that
 * survives an interruption at any moment, and statistics and reports read them from this folder.
 */
@NullMarked
package dev.weir.bench.result;

import org.jspecify.annotations.NullMarked;
