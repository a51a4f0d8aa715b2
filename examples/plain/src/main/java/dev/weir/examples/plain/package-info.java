/** Orders to invoices, as a program without a framework. Orders come in from one topic, invoices go out to another. */
@NullMarked
package dev.weir.examples.plain;

import org.jspecify.annotations.NullMarked;
