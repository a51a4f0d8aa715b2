package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** The messages that a user sees when an application does not start. Contains only static functions. */
final class Refusals {

    private Refusals() {}

    static String paragraph(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        FailureAnalysis analysis = new RefusalAnalyzer().analyze(Objects.requireNonNull(context.getStartupFailure()));
        assertThat(analysis).as("a refusal of Weir").isNotNull();
        return Objects.requireNonNull(analysis).getDescription();
    }
}
