/** Orders to invoices, as a program without a framework. Orders come from one topic, and invoices go to another. */
@NullMarked
package dev.weir.examples.plain;

import org.jspecify.annotations.NullMarked;
