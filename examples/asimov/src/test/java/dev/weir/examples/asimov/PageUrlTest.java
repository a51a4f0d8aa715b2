package dev.weir.examples.asimov;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.examples.asimov.Vectors.Vector;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PageUrlTest {

    static List<Vector> urls() {
        return Vectors.read("urls.json");
    }

    static List<Vector> queries() {
        return Vectors.read("queries.json");
    }

    @ParameterizedTest
    @MethodSource("urls")
    void parse_likeReference_givesTheSameParts(Vector vector) throws InvalidUrlException {
        String input = vector.text("input");
        if (!vector.has("scheme")) {
            assertThatThrownBy(() -> PageUrl.parse(input)).isInstanceOf(InvalidUrlException.class);
            return;
        }
        PageUrl url = PageUrl.parse(input);
        assertThat(url.scheme()).isEqualTo(vector.text("scheme"));
        assertThat(url.host()).isEqualTo(vector.text("host"));
        assertThat(url.port()).isEqualTo(vector.number("port"));
        assertThat(url.path()).isEqualTo(vector.text("path"));
        assertThat(flat(url.parameters())).isEqualTo(vector.any("parameters"));
        assertThat(url.fragment()).isEqualTo(vector.any("fragment"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void parseQuery_likeReference_givesTheSameParameters(Vector vector) {
        assertThat(flat(FormUrlEncoded.parse(vector.text("input")))).isEqualTo(vector.any("parameters"));
    }

    @Test
    void parse_invalid_saysWhy() {
        assertThatThrownBy(() -> PageUrl.parse("ftp://example.com/"))
                .hasMessage("\"ftp://example.com/\" is not the URL of a page: its scheme is neither http nor https");
        assertThatThrownBy(() -> PageUrl.parse("https://example.com:99999/"))
                .hasMessageEndingWith("its port is not a number up to 65535");
    }

    @Test
    void parse_noise_givesUrlOrTypedException() {
        Random random = new Random(11);
        String alphabet = "htps:/\\?#@[]%&=+.01aAxZ \t\n{}|\u0000\u00e9\u6c34\ud83d\ude00-:::///";
        int urls = 0;
        for (int run = 0; run < 50_000; run++) {
            StringBuilder noise = new StringBuilder(random.nextInt(3) == 0 ? "" : "https://");
            int length = random.nextInt(40);
            while (noise.length() < length) {
                noise.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                assertThat(PageUrl.parse(noise.toString()).path()).startsWith("/");
                urls++;
            } catch (InvalidUrlException e) {
                assertThat(e).hasMessageContaining("is not the URL of a page");
            }
        }
        assertThat(urls).isBetween(100, 49_900);
    }

    private static List<String> flat(List<QueryParameter> parameters) {
        return parameters.stream()
                .flatMap(parameter -> Stream.of(parameter.name(), parameter.value()))
                .toList();
    }
}
