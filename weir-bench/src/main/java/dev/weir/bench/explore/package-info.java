/**
 * The search for the highest sustainable rate: outcomes of trials come in, the next trial goes out. It uses no clock,
 * thread or broker; the owner of a {@link dev.weir.bench.explore.Search} runs its trials.
 */
@NullMarked
package dev.weir.bench.explore;

import org.jspecify.annotations.NullMarked;
