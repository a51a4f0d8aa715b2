/**
 * Turns orders into invoices in a plain program without a framework. Reads orders from one topic and writes invoices to
 * another.
 */
@NullMarked
package dev.weir.examples.plain;

import org.jspecify.annotations.NullMarked;
