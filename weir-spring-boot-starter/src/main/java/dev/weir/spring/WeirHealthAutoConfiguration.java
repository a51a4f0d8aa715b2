package dev.weir.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health contributors {@code weirLiveness} and {@code weirReadiness}. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(WeirPipelines.class)
class WeirHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "weirLivenessHealthIndicator")
    HealthIndicator weirLivenessHealthIndicator(WeirPipelines pipelines) {
        return PipelineHealth.liveness(pipelines);
    }

    @Bean
    @ConditionalOnMissingBean(name = "weirReadinessHealthIndicator")
    HealthIndicator weirReadinessHealthIndicator(WeirPipelines pipelines) {
        return PipelineHealth.readiness(pipelines);
    }
}
