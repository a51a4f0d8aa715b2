/**
 * The network of a member of a group, beside it at its place: a proxy that the harness cuts,
 * silences or slows down. It has threads of its own.
 */
@NullMarked
package dev.weir.drivers.proxy;

import org.jspecify.annotations.NullMarked;
