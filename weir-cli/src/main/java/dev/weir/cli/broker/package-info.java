/**
 * {@code weir broker}: brokers for development, until a stop signal comes.
 */
@NullMarked
package dev.weir.cli.broker;

import org.jspecify.annotations.NullMarked;
