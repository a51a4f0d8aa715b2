package dev.weir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The program {@code weir}. Answers {@code --version} and the {@code --help} of each command itself, because loading
 * picocli and the commands takes several times as long as starting a JVM. Passes everything else to {@link Main}. The
 * help texts are picocli's own, which the build extracts ({@link HelpTexts}). Stateless.
 */
public final class Weir {

    /**
     * Resource with the help texts. Each entry consists of a form feed, the command's name, a line feed and the
     * command's help in colours.
     */
    static final String TEXTS = "help.txt";

    static final char SECTION = '\f';

    /** Environment variables that override the terminal's colour support; picocli reads them. */
    private static final List<String> CHOICES = List.of("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "ConEmuANSI");

    private static final String COLOUR = "\033\\[[0-9;]*m";

    private Weir() {}

    /** Runs one command line and ends the process with its exit code. */
    public static void main(String[] args) {
        String answer = answer(isColoured(), args);
        if (answer == null) {
            Main.main(args);
        } else {
            System.out.print(answer);
            System.out.flush();
        }
    }

    /**
     * Returns the answer if {@code args} ask for help or for the version; null if {@link Main} must answer.
     *
     * @param coloured whether the help is coloured; null if only picocli can decide
     */
    static @Nullable String answer(@Nullable Boolean coloured, String... args) {
        String last = args.length == 0 ? "" : args[args.length - 1];
        if (args.length == 1 && (last.equals("--version") || last.equals("-V"))) {
            return String.join(System.lineSeparator(), Versions.lines()) + System.lineSeparator();
        }
        if (coloured == null || !(last.equals("--help") || last.equals("-h"))) {
            return null;
        }
        StringBuilder name = new StringBuilder("weir");
        for (int i = 0; i < args.length - 1; i++) {
            // An argument with a space would look like two words in the joined name.
            if (args[i].indexOf(' ') >= 0) {
                return null;
            }
            name.append(' ').append(args[i]);
        }
        String help = section(name.toString());
        if (help == null) {
            return null;
        }
        return (coloured ? help : help.replaceAll(COLOUR, "")).replace("\n", System.lineSeparator());
    }

    /**
     * Returns whether the user configured picocli by a property such as {@code picocli.ansi} or
     * {@code picocli.usage.width}.
     */
    static boolean isPicocliTold() {
        return System.getProperties().stringPropertyNames().stream().anyMatch(name -> name.startsWith("picocli."));
    }

    private static @Nullable String section(String name) {
        String texts;
        try (InputStream in = Weir.class.getResourceAsStream(TEXTS)) {
            if (in == null) {
                return null;
            }
            texts = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String start = SECTION + name + '\n';
        int at = texts.indexOf(start);
        if (at < 0) {
            return null;
        }
        int end = texts.indexOf(SECTION, at + 1);
        return texts.substring(at + start.length(), end < 0 ? texts.length() : end);
    }

    /**
     * Returns whether standard output supports colours; null if only picocli can decide or the user has configured
     * picocli.
     */
    @SuppressWarnings("SystemConsoleNull") // without a console there is no terminal; with one, picocli knows its kind
    static @Nullable Boolean isColoured() {
        for (String choice : CHOICES) {
            if (System.getenv(choice) != null) {
                return null;
            }
        }
        if (isPicocliTold()) {
            return null;
        }
        // The launchers pass on the result of test -t 1. Before version 22, Java's own check reports less and also
        // considers standard input.
        String terminal = System.getProperty("weir.terminal.out");
        if (terminal != null) {
            return Boolean.valueOf(terminal);
        }
        return System.console() == null ? Boolean.FALSE : null;
    }
}
