/**
 * Pipelines in a Spring Boot application: {@link dev.weir.spring.WeirPipelines} runs the {@code Pipeline} beans, and
 * {@link dev.weir.spring.WeirSettings} creates client settings from {@code spring.kafka.*} and {@code weir.*}.
 */
@NullMarked
package dev.weir.spring;

import org.jspecify.annotations.NullMarked;
