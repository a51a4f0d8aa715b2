package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class RefusalAnalyzerTest {

    @Test
    void failureWithCyclicCauses_isAnalyzed() {
        Exception root = new Exception("root");
        Exception outer = new Exception("outer", root);
        root.initCause(outer);
        assertThat(new RefusalAnalyzer().analyze(outer)).isNull();
        assertThat(RefusalAnalyzer.reasons(outer)).isEqualTo("outer: root");
    }
}
