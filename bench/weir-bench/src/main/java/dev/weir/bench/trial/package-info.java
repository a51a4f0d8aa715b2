/**
 * Runs single trials of a search. A trial determines whether a driver keeps up with a given rate, by using real
 * processes or a simulation of them. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.trial;

import org.jspecify.annotations.NullMarked;
