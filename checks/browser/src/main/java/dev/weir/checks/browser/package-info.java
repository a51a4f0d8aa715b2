/** A headless browser for tests of web pages. */
@NullMarked
package dev.weir.checks.browser;

import org.jspecify.annotations.NullMarked;
