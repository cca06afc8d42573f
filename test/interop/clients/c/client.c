#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmlrpc-c/base.h>
#include <xmlrpc-c/client.h>

static char demo[512], interop[512];
static xmlrpc_env env;

/* A value as text, with its types. */
static void show(xmlrpc_value *value, char *out) {
  char *end = out + strlen(out);
  switch (xmlrpc_value_type(value)) {
  case XMLRPC_TYPE_INT: { int n; xmlrpc_read_int(&env, value, &n); sprintf(end, "int %d", n); return; }
  case XMLRPC_TYPE_BOOL: { xmlrpc_bool b; xmlrpc_read_bool(&env, value, &b); sprintf(end, "boolean %d", b); return; }
  case XMLRPC_TYPE_DOUBLE: { double d; xmlrpc_read_double(&env, value, &d); sprintf(end, "double %.17g", d); return; }
  case XMLRPC_TYPE_I8: { long long n; xmlrpc_read_i8(&env, value, &n); sprintf(end, "i8 %lld", n); return; }
  case XMLRPC_TYPE_NIL: strcpy(end, "nil"); return;
  case XMLRPC_TYPE_STRING: { const char *s; xmlrpc_read_string(&env, value, &s); sprintf(end, "string %s", s); return; }
  case XMLRPC_TYPE_DATETIME: { const char *s; xmlrpc_read_datetime_str(&env, value, &s); sprintf(end, "dateTime %s", s); return; }
  case XMLRPC_TYPE_BASE64: {
    size_t length; const unsigned char *bytes;
    xmlrpc_read_base64(&env, value, &length, &bytes);
    strcpy(end, "base64 ");
    for (size_t i = 0; i < length; i++) sprintf(end + 7 + 2 * i, "%02x", bytes[i]);
    return;
  }
  case XMLRPC_TYPE_ARRAY: {
    int size = xmlrpc_array_size(&env, value);
    strcat(out, "[");
    for (int i = 0; i < size; i++) {
      xmlrpc_value *item;
      xmlrpc_array_read_item(&env, value, i, &item);
      if (i > 0) strcat(out, ", ");
      show(item, out);
      xmlrpc_DECREF(item);
    }
    strcat(out, "]");
    return;
  }
  case XMLRPC_TYPE_STRUCT: {
    int size = xmlrpc_struct_size(&env, value);
    strcat(out, "{");
    for (int i = 0; i < size; i++) {
      xmlrpc_value *key, *member;
      const char *name;
      xmlrpc_struct_read_member(&env, value, i, &key, &member);
      xmlrpc_read_string(&env, key, &name);
      if (i > 0) strcat(out, ", ");
      strcat(out, name);
      strcat(out, "=");
      show(member, out);
    }
    strcat(out, "}");
    return;
  }
  default: strcpy(end, "?");
  }
}

static void check(const char *name, const char *want, xmlrpc_value *got) {
  static char text[100000];
  text[0] = 0;
  if (env.fault_occurred) sprintf(text, "fault %d %s", env.fault_code, env.fault_string);
  else show(got, text);
  if (strncmp(text, want, strlen(want)) == 0 && (env.fault_occurred || strlen(text) == strlen(want))) printf("ok %s\n", name);
  else printf("not ok %s: %s\n", name, text);
  if (env.fault_occurred) { xmlrpc_env_clean(&env); xmlrpc_env_init(&env); }
}

#define CALL(url, ...) xmlrpc_client_call(&env, url, __VA_ARGS__)

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  unsigned char bytes[256];
  char hex[513] = "", want[600];
  for (int i = 0; i < 256; i++) { bytes[i] = i; sprintf(hex + 2 * i, "%02x", i); }
  sprintf(demo, "%s/demo", argv[1]);
  sprintf(interop, "%s/interop", argv[1]);
  xmlrpc_env_init(&env);
  xmlrpc_client_init2(&env, XMLRPC_CLIENT_NO_FLAGS, "interop", "1", NULL, 0);

  check("demo: system.listMethods", "[string system.listMethods, string system.methodHelp, string system.methodSignature, string test.battingOrder]",
        CALL(demo, "system.listMethods", "()"));
  check("demo: system.methodHelp",
        "string The name of the US state at a place in the order of joining the union.\n\nMethod signature: [['string', 'int']]",
        CALL(demo, "system.methodHelp", "(s)", "test.battingOrder"));
  check("demo: system.methodSignature", "[[string string, string int]]", CALL(demo, "system.methodSignature", "(s)", "test.battingOrder"));
  check("demo: a state", "string Georgia", CALL(demo, "test.battingOrder", "(i)", 4));
  check("demo: no state", "string Out of cheese error.", CALL(demo, "test.battingOrder", "(i)", 51));
  check("demo: a fault for a wrong type", "fault -32602", CALL(demo, "test.battingOrder", "(s)", "4"));
  check("demo: a fault for an unknown method", "fault -32601", CALL(demo, "nope", "()"));
  const char *text = "a < b & c > d 'e' \"f\" \xc3\xa9\xe4\xb8\xad ]]> \n\t";
  sprintf(want, "string %s", text);
  check("string", want, CALL(interop, "test.echo", "(s)", text));
  check("empty string", "string ", CALL(interop, "test.echo", "(s)", ""));
  check("int", "[int -2147483648, int 2147483647]", CALL(interop, "test.echo", "((ii))", -2147483647 - 1, 2147483647));
  check("double", "[double 0.5, double -12.25]", CALL(interop, "test.echo", "((dd))", 0.5, -12.25));
  check("integral double", "double 2", CALL(interop, "test.echo", "(d)", 2.0));
  check("boolean", "[boolean 1, boolean 0]", CALL(interop, "test.echo", "((bb))", (xmlrpc_bool)1, (xmlrpc_bool)0));
  check("dateTime", "dateTime 19980717T14:08:55", CALL(interop, "test.echo", "(8)", "19980717T14:08:55"));
  sprintf(want, "base64 %s", hex);
  check("base64", want, CALL(interop, "test.echo", "(6)", bytes, (size_t)256));
  check("array", "[int 1, string x, [], [boolean 1]]", CALL(interop, "test.echo", "((is()(b)))", 1, "x", (xmlrpc_bool)1));
  check("struct", "{a=int 1, __proto__=int 2, b={}}", CALL(interop, "test.echo", "({s:i,s:i,s:{}})", "a", 1, "__proto__", 2, "b"));
  check("nested", "{a=[{b=[nil, double 2, i8 1099511627776, {c=[[[]]]}]}]}",
        CALL(interop, "test.echo", "({s:({s:(ndI{s:((()))})})})", "a", "b", 2.0, 1099511627776LL, "c"));
  check("add", "int 5", CALL(interop, "test.add", "(ii)", 2, 3));
  check("greet", "[string Hello, Joe!, string Bye, Joe!]",
        xmlrpc_build_value(&env, "(VV)", CALL(interop, "test.greet", "(s)", "Joe"), CALL(interop, "test.greet", "(ss)", "Joe", "Bye")));
  check("many types", "[int 7, boolean 1, string x, double 2, dateTime 19980717T14:08:55, base64 00ff]",
        CALL(interop, "validator1.manyTypesTest", "(ibsd86)", 7, (xmlrpc_bool)1, "x", 2.0, "19980717T14:08:55", "\x00\xff", (size_t)2));
  check("stooges", "int 6", CALL(interop, "validator1.easyStructTest", "({s:i,s:i,s:i})", "moe", 1, "larry", 2, "curly", 3));
  check("a fault of its own", "fault 42 RPC failed at server.  as told", CALL(interop, "test.fail", "(is)", 42, "as told"));
  xmlrpc_client_cleanup();
  return 0;
}
