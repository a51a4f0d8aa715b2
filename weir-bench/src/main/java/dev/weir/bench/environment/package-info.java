/**
 * Places of a campaign: a file of {@code environments/} comes in, which places workers run at, by which commands they
 * are reached, and which brokers they read from goes out. Owned by nobody: all of it is immutable.
 */
@NullMarked
package dev.weir.bench.environment;

import org.jspecify.annotations.NullMarked;
