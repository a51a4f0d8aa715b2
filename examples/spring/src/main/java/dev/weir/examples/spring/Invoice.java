package dev.weir.examples.spring;

/**
 * The invoice for an order.
 *
 * @param customer whose order it was
 * @param text the invoice itself
 */
public record Invoice(String customer, String text) {}
