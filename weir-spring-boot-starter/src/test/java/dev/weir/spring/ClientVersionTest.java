package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientVersionTest {

    @ParameterizedTest
    @CsvSource({"4.2.2,true", "4.0.0,true", "3.9.1,true", "4.4.0,false", "4.4.1,false", "4.10.0,false", "unknown,false"
    })
    void version_beforeThatOfWeir_isOld(String version, boolean old) {
        assertThat(ClientVersion.isOld(version)).isEqualTo(old);
    }

    /** Fails if Weir is updated to another line of Kafka clients, as a reminder to update this version as well. */
    @Test
    void versionOfWeir_isThatOfTheBuild() {
        assertThat(ClientVersion.found()).startsWith(ClientVersion.BUILT_WITH + ".");
    }
}
