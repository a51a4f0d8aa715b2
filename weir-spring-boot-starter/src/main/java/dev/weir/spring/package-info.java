/**
 * Pipelines in a Spring Boot application: {@link dev.weir.spring.WeirPipelines} runs the {@code Pipeline} beans, and
 * {@link dev.weir.spring.WeirSettings} has what {@code spring.kafka.*} and {@code weir.*} say of their clients.
 */
@NullMarked
package dev.weir.spring;

import org.jspecify.annotations.NullMarked;
