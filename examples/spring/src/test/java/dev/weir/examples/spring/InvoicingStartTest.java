package dev.weir.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests wrong starts of the application, without asking a broker. */
@ExtendWith(OutputCaptureExtension.class)
class InvoicingStartTest {

    @Test
    void wrongProperty_isToldInAParagraph_withoutATrace(CapturedOutput output) {
        Throwable refusal = catchThrowable(() -> new SpringApplicationBuilder(InvoicingApplication.class)
                .web(WebApplicationType.NONE)
                .run("--weir.consumer.revoke-deadline=5m")
                .close());
        assertThat(refusal).isNotNull();
        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "Weir: weir.consumer.revoke-deadline: revokeDeadline must be PT0S to PT4M: revokeDeadline=PT5M")
                .contains("Change the property or the setting that the message names.")
                .doesNotContain("\tat dev.weir.");
    }
}
