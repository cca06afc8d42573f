import de.timroes.axmlrpc.XMLRPCClient;
import de.timroes.axmlrpc.XMLRPCServerException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class Client {
    static XMLRPCClient demo;
    static XMLRPCClient interop;

    /** A value as text, with its types. */
    static String show(Object value) {
        if (value == null) return "null";
        if (value instanceof Object[]) value = Arrays.asList((Object[]) value);
        if (value instanceof List) {
            List<String> parts = new ArrayList<>();
            for (Object each : (List<?>) value) parts.add(show(each));
            return parts.toString();
        }
        if (value instanceof Map) {
            Map<String, String> parts = new TreeMap<>();
            for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) parts.put((String) each.getKey(), show(each.getValue()));
            return parts.toString();
        }
        if (value instanceof byte[]) return "bytes " + Arrays.toString((byte[]) value);
        if (value instanceof Date) return "date " + ((Date) value).getTime();
        return value.getClass().getSimpleName() + " " + value;
    }

    static void check(String name, Object got, Object want) {
        boolean same = show(got).equals(show(want));
        System.out.println(same ? "ok " + name : "not ok " + name + ": " + show(got));
    }

    static Object echo(Object value) throws Exception {
        return interop.call("test.echo", value);
    }

    static String fault(XMLRPCClient client, String method, Object... params) throws Exception {
        try {
            return show(client.call(method, params));
        } catch (XMLRPCServerException e) {
            return e.getErrorNr() + " " + e.getMessage();
        }
    }

    static Map<String, Object> struct(Object... pairs) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) map.put((String) pairs[i], pairs[i + 1]);
        return map;
    }

    static Object[] list(Object... values) {
        return values;
    }

    public static void main(String[] args) throws Exception {
        demo = new XMLRPCClient(new URL(args[0] + "/demo"));
        interop = new XMLRPCClient(new URL(args[0] + "/interop"));
        check("demo: system.listMethods", demo.call("system.listMethods"),
            list("system.listMethods", "system.methodHelp", "system.methodSignature", "test.battingOrder"));
        check("demo: system.methodHelp", demo.call("system.methodHelp", "test.battingOrder"),
            "The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]");
        check("demo: system.methodSignature", demo.call("system.methodSignature", "test.battingOrder"), list((Object) list("string", "int")));
        check("demo: a state", demo.call("test.battingOrder", 4), "Georgia");
        check("demo: no state", demo.call("test.battingOrder", 51), "Out of cheese error.");
        check("demo: a fault for a wrong type", fault(demo, "test.battingOrder", "4").split(" ")[0], "-32602");
        check("demo: a fault for an unknown method", fault(demo, "nope").split(" ")[0], "-32601");
        String text = "a < b & c > d 'e' \"f\" \u00e9\u4e2d\ud83d\ude00";
        check("string", echo(text), text);
        check("empty string", echo(""), "");
        check("int", list(echo(-2147483648), echo(2147483647)), list(-2147483648, 2147483647));
        check("double", list(echo(0.5), echo(-12.214), echo(1e300)), list(0.5, -12.214, 1e300));
        check("integral double", echo(2.0), 2.0);
        check("boolean", list(echo(true), echo(false)), list(true, false));
        Date moment = new GregorianCalendar(1998, 6, 17, 14, 8, 55).getTime();
        check("dateTime", echo(moment), moment);
        byte[] bytes = new byte[256];
        for (int i = 0; i < 256; i++) bytes[i] = (byte) i;
        check("base64", echo(bytes), bytes);
        check("array", echo(list(1, "x", list(), list(true))), list(1, "x", list(), list(true)));
        check("struct", echo(struct("a", 1, "__proto__", 2, "b", struct())), struct("a", 1, "__proto__", 2, "b", struct()));
        Object nested = struct("a", list(struct("b", list(2.0, struct("c", list((Object) list()))))));
        check("nested", echo(nested), nested);
        check("add", interop.call("test.add", 2, 3), 5);
        check("greet", list(interop.call("test.greet", "Joe"), interop.call("test.greet", "Joe", "Bye")), list("Hello, Joe!", "Bye, Joe!"));
        byte[] two = {0, (byte) 255};
        check("many types", interop.call("validator1.manyTypesTest", 7, true, "x", 2.0, moment, two), list(7, true, "x", 2.0, moment, two));
        check("stooges", interop.call("validator1.easyStructTest", struct("moe", 1, "larry", 2, "curly", 3)), 6);
        String own = fault(interop, "test.fail", 42, "as told");
        check("a fault of its own", own.startsWith("42 ") && own.contains("as told"), true);
    }
}
