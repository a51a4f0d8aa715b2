/**
 * Stores the results of a campaign. The harness passes immutable records of points and runs to a folder. The folder
 * survives an interruption at any moment. Statistics and reports read the records from there.
 */
@NullMarked
package dev.weir.bench.result;

import org.jspecify.annotations.NullMarked;
