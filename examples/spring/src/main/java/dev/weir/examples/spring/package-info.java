/**
 * A Spring Boot application that reads orders from one topic and writes invoices to another. The starter runs the
 * pipeline.
 */
@NullMarked
package dev.weir.examples.spring;

import org.jspecify.annotations.NullMarked;
