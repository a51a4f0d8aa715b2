package dev.weir.spring.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of an application's pipelines alone: the beans of its {@code @SpringBootApplication} class run against a
 * broker of the testkit, without web server, database, or components found by scanning. Name the components that the
 * pipelines need in an {@code @Import}, auto-configurations in an {@code @ImportAutoConfiguration}. The broker is a
 * {@code KafkaCluster} bean, started before the pipelines and closed with the context; a {@code KafkaCluster} bean of
 * the test replaces it. Needs {@code weir-testkit} and {@code spring-boot-starter-test}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(WeirTestBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(WeirTestFilter.class)
@ImportAutoConfiguration
@PropertyMapping("weir-test")
public @interface WeirTest {

    /**
     * Topics to create before the pipelines start: a name, or a name with a partition count, as in {@code orders:6}.
     */
    String[] topics() default {};

    /** Properties of the environment, as {@code name=value}. */
    @PropertyMapping(skip = PropertyMapping.Skip.YES)
    String[] properties() default {};
}
