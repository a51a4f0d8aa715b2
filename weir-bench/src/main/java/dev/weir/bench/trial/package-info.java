/**
 * One trial of a search: in comes a rate, out goes whether the driver kept up with it, of real processes or of a model
 * in their place. Runs on the campaign's thread.
 */
@NullMarked
package dev.weir.bench.trial;

import org.jspecify.annotations.NullMarked;
