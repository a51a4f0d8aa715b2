package dev.weir.command.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests untrusted text: it must not control the terminal or look like another line. */
class PrintableTest {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Terminal sequences and their eight-bit forms, line breaks, reversed text, and invisible characters. */
    @ParameterizedTest
    @CsvSource({
        "001b, \\u001b",
        "0007, \\u0007",
        "0008, \\u0008",
        "007f, \\u007f",
        "009b, \\u009b",
        "0090, \\u0090",
        "0085, \\u0085",
        "000a, \\n",
        "000d, \\r",
        "0009, \\t",
        "2028, \\u2028",
        "2029, \\u2029",
        "202e, \\u202e",
        "2066, \\u2066",
        "200f, \\u200f",
        "061c, \\u061c",
        "feff, \\ufeff",
        "200b, \\u200b",
        "d800, \\ud800",
        "e0001, \\udb40\\udc01"
    })
    void dangerousCharacter_isEscapedOnALine(String point, String escaped) {
        String text = "a" + Character.toString(Integer.parseInt(point, 16)) + "b";
        assertThat(Printable.line(text)).isEqualTo("a" + escaped + "b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "Gr\u00f6\u00dfe 5 \u20ac",
                "\u65e5\u672c",
                "\ud83d\udc69\u200d\ud83d\udc67",
                "\u0645\u06cc\u200c\u062e",
                "C:\\temp\\new"
            })
    void otherText_isAsItIs(String text) {
        assertThat(Printable.line(text)).isSameAs(text);
        assertThat(Printable.lines(text)).isSameAs(text);
    }

    @Test
    void lines_keepLineFeedsAndTabs_butNoReturnThatWouldOverwriteALine() {
        assertThat(Printable.lines("a\n\tb\r\nc\rd\u001b[2J")).isEqualTo("a\n\tb\r\nc\\rd\\u001b[2J");
    }

    @Test
    void noteAndStatus_areOneLine_whateverTheyHold() {
        Terminal terminal = new Terminal(stream, false);
        terminal.note("one\nweir: forged\u001b]0;title\u0007");
        terminal.status("two\r\u009b2J");
        assertThat(printed()).isEqualTo("one\\nweir: forged\\u001b]0;title\\u0007%ntwo\\r\\u009b2J%n".formatted());
    }

    @Test
    void stackTrace_escapesTheMessage_andIndentsTheRest() {
        new Terminal(stream, false).stackTrace(new IllegalStateException("bad \u001b[31m\nweir pipe: all is well"));
        assertThat(printed())
                .startsWith("java.lang.IllegalStateException: bad \\u001b[31m\n  weir pipe: all is well\n  \tat ")
                .doesNotContain("\u001b");
    }

    @Test
    void logLine_escapesTheMessage_andIndentsItsOtherLines() {
        Logging.configure(true, null, new Terminal(stream, false));
        try {
            Logger.getLogger("dev.weir.test").log(Level.INFO, "first\u001b[2J\n2026-11-28 10:00:00.000 INFO forged");
        } finally {
            LogManager.getLogManager().reset();
        }
        assertThat(printed()).contains("first\\u001b[2J\n  2026-11-28").doesNotContain("\u001b");
    }

    @Test
    void json_staysValid_andHoldsNothingThatATerminalObeys() {
        new JsonLines(stream).write(line -> line.writeStringField("text", "\u001b[2J\u009b\u202e\u007f\u00fc\n\uD800"));
        assertThat(printed()).isEqualTo("{\"text\":\"\\u001B[2J\\u009b\\u202e\\u007f\u00fc\\n\\ud800\"}\n");
    }

    @Test
    void standardOutput_isEscapedButForLines() {
        PrintStream out = Printable.stream(stream);
        out.println("a\u001b[2J");
        out.printf("%s%n", "b\u009b\tc");
        out.print("d\n");
        assertThat(printed()).isEqualTo("a\\u001b[2J%nb\\u009b\tc%nd\n".formatted());
    }
}
