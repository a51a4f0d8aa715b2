package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverTest {

    @ParameterizedTest
    @CsvSource({
        "plain, plain, '', false",
        "plain-defaults, plain, '', true",
        "plain@2.4.0, plain, 2.4.0, false",
        "plain@2.4.0-defaults, plain, 2.4.0, true",
        "plain-defaults@2.4.0, plain, 2.4.0, true",
        "plain@4.0.0-rc1, plain, 4.0.0-rc1, false",
        "plain@, plain, '', false",
    })
    void name_hasADriver_aVersion_andPerhapsTheLibrarysDefaults(
            String name, String driver, String version, boolean hasOwnDefaults) {
        assertThat(Driver.baseName(name)).isEqualTo(driver);
        assertThat(Driver.version(name)).isEqualTo(version);
        assertThat(Driver.hasOwnDefaults(name)).isEqualTo(hasOwnDefaults);
    }
}
