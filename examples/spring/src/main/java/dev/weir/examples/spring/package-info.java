/**
 * Orders come in from a topic, and invoices go out to another one, in a Spring Boot application; the starter runs the
 * pipeline.
 */
@NullMarked
package dev.weir.examples.spring;

import org.jspecify.annotations.NullMarked;
