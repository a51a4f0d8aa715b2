/** Changes of a running pipeline by name, and their timeline. Any thread may call; one change is applied at a time. */
@NullMarked
package dev.weir.console.internal.control;

import org.jspecify.annotations.NullMarked;
