/**
 * Runs one trial of a search. The input is a rate; the outcome says whether the driver kept up with it. A trial uses
 * real processes, or a model in their place. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.trial;

import org.jspecify.annotations.NullMarked;
