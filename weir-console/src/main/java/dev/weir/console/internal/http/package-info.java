/**
 * The console's access rules and responses. Each request is handled by its own virtual thread, which the console's port
 * owns.
 */
@NullMarked
package dev.weir.console.internal.http;

import org.jspecify.annotations.NullMarked;
