/**
 * The console's access rules and responses. Each connection to the console has its own thread, which handles all its
 * requests.
 */
@NullMarked
package dev.weir.console.internal.http;

import org.jspecify.annotations.NullMarked;
