/**
 * The search for the highest sustainable rate: outcomes of trials come in, the next trial goes out. It knows no
 * clock, thread or broker; whoever holds a {@link dev.weir.bench.explore.Search} runs its trials.
 */
@NullMarked
package dev.weir.bench.explore;

import org.jspecify.annotations.NullMarked;
