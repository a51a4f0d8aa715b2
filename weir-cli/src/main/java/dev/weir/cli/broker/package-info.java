/** {@code weir broker}: development brokers that run until a stop signal. */
@NullMarked
package dev.weir.cli.broker;

import org.jspecify.annotations.NullMarked;
