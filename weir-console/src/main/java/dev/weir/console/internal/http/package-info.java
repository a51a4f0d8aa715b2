/**
 * Access rules and answers of the console. Each request has a virtual thread of its own, which the console's port owns.
 */
@NullMarked
package dev.weir.console.internal.http;

import org.jspecify.annotations.NullMarked;
