/**
 * The environment of a campaign, read from a file in {@code environments/}. It names the workers, the commands that
 * reach them, and the brokers. All types are immutable.
 */
@NullMarked
package dev.weir.bench.environment;

import org.jspecify.annotations.NullMarked;
