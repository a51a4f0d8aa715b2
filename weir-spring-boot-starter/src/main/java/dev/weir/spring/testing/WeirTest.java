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
 * Marks a test that starts only the pipelines of an application. The {@code Pipeline} beans of its
 * {@code @SpringBootApplication} class run against a testkit broker, without a web server, a database, or components
 * found by scanning. Use {@code @Import} to add the components that the pipelines need, and
 * {@code @ImportAutoConfiguration} to add auto-configurations. The broker is a {@code KafkaCluster} bean, which is
 * started before the pipelines and closed with the context. If the test defines its own {@code KafkaCluster} bean, that
 * bean is used instead. Requires {@code weir-testkit} and {@code spring-boot-starter-test}.
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
     * The topics to create before the pipelines start. Each is a name, optionally with a partition count, such as
     * {@code orders:6}.
     */
    String[] topics() default {};

    /** Properties to add to the environment, as {@code name=value}. */
    @PropertyMapping(skip = PropertyMapping.Skip.YES)
    String[] properties() default {};
}
