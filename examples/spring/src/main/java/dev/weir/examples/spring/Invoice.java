package dev.weir.examples.spring;

/**
 * The invoice for an order.
 *
 * @param customer the customer who placed the order
 * @param text the invoice itself
 */
public record Invoice(String customer, String text) {}
