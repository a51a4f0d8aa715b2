package dev.weir.command.client;

import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@code --client-config}. They are read once, because a pipe, for example {@code <(vault read ...)},
 * is empty the second time. Immutable.
 */
final class SettingsFile {

    private final Path path;
    private final List<String> lines;
    private final Map<String, String> settings = new HashMap<>();

    private SettingsFile(Path path, String text) throws IOException {
        this.path = path;
        this.lines = text.lines().toList();
        Once properties = new Once();
        properties.load(new StringReader(text));
        String repeated = properties.repeated;
        if (repeated != null) {
            throw CliFailure.usage(
                    "--client-config=" + path + ":" + lineOf(repeated, lines) + ": " + repeated
                            + " is given twice, first in line "
                            + (lines.size() + 1 - lineOf(repeated, lines.reversed())) + "; leave one out",
                    "");
        }
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
    }

    /** Reads a properties file in UTF-8. Refuses repeated keys. */
    static SettingsFile read(Path path) {
        try {
            // Windows editors write a byte order mark, which would become part of the first key.
            return new SettingsFile(path, Files.readString(path).replaceFirst("^\uFEFF", ""));
        } catch (CharacterCodingException e) {
            throw unreadable(path, "not a text in UTF-8");
        } catch (IOException e) {
            throw unreadable(path, CliFailure.reason(e));
        } catch (IllegalArgumentException e) { // thrown by Properties.load for a malformed \\u escape
            throw unreadable(path, String.valueOf(e.getMessage()));
        }
    }

    private static CliFailure unreadable(Path path, String why) {
        return CliFailure.badValue("--client-config", path, "a properties file that can be read (" + why + ")");
    }

    Path path() {
        return path;
    }

    Map<String, String> settings() {
        return Collections.unmodifiableMap(settings);
    }

    /** Returns the file's name and the line of a setting, for messages. */
    String origin(String name) {
        return path.getFileName() + ":" + lineOf(name, lines);
    }

    /** Returns the number of the last line that sets the property. */
    private static int lineOf(String name, List<String> lines) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            Properties line = new Properties();
            try {
                line.load(new StringReader(lines.get(i)));
            } catch (IOException | IllegalArgumentException e) { // a continued line may be invalid on its own
                continue;
            }
            if (line.containsKey(name)) {
                return i + 1;
            }
        }
        return 1;
    }

    /** Properties that remember the first repeated key. {@link Properties} itself keeps the last value. */
    private static final class Once extends Properties {

        private static final long serialVersionUID = 1L;

        private transient @Nullable String repeated;

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread reads a file
        public @Nullable Object put(Object key, Object value) {
            if (repeated == null && containsKey(key)) {
                repeated = String.valueOf(key);
            }
            return super.put(key, value);
        }
    }
}
