/**
 * Runs one trial of a search. The input is a rate, and the output is whether the driver kept up with this rate. A trial
 * uses real processes or a simulation of them. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.trial;

import org.jspecify.annotations.NullMarked;
