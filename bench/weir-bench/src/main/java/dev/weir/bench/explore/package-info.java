/**
 * Searches for the highest sustainable rate. A {@link dev.weir.bench.explore.Search} receives the outcomes of trials
 * and returns the next trial, and its owner runs the trials. The package uses no clock, thread or broker.
 */
@NullMarked
package dev.weir.bench.explore;

import org.jspecify.annotations.NullMarked;
