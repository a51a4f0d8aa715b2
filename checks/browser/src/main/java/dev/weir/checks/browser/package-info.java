/** The browser that tests open pages in. */
@NullMarked
package dev.weir.checks.browser;

import org.jspecify.annotations.NullMarked;
